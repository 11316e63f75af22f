    -- The credits that make up a figure. With is_everything every conversion must be one row, so callers use a model
    -- of a single credit.
    chosen AS
    (
        SELECT * FROM credits
        WHERE ({is_everything:Bool} OR owner_id = if({owner_name:String} = '', {entity_id:UUID}, reinterpretAsUUID(sipHash128({owner_name:String}))))
            AND (NOT {is_whole:Bool} OR is_whole)
            AND (NOT {is_cash:Bool} OR is_cash)
            -- Orders are not counted as pipeline, and messaging conversations have their own metric.
            AND (NOT {is_pipeline:Bool} OR (NOT is_cash AND conversion_type NOT IN ('order_placed', 'messaging_started')))
            AND (NOT {is_new_purchase:Bool} OR is_new_purchase)
            AND ({conversion_type:String} = '' OR conversion_type = {conversion_type:String})
    )
