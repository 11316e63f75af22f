-- How far a platform's delivery has learnt, which it says of ad sets: LEARNING, SUCCESS or FAIL. Empty: nobody has said.
ALTER TABLE ad_entities ADD COLUMN learning_stage_status text NOT NULL DEFAULT '';
