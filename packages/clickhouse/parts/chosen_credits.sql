    -- Of the credits, those that a figure is made of. Of everything every conversion is one row, so it asks for a model of one share.
    chosen AS
    (
        SELECT * FROM credits
        WHERE ({is_everything:Bool} OR owner_id = {entity_id:UUID})
            AND (NOT {is_whole:Bool} OR is_whole)
            AND (NOT {is_cash:Bool} OR is_cash)
            AND (NOT {is_new_purchase:Bool} OR is_new_purchase)
            AND ({conversion_type:String} = '' OR conversion_type = {conversion_type:String})
    )
