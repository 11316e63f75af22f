-- The best ads of a window, as scored by the last rebuild. An empty filter matches everything.
SELECT * EXCEPT (profile_id, version, written_at)
FROM {{part last_scores}}
    AND spend >= toDecimal128({min_spend:String}, 4)
    AND (empty({objectives:Array(String)}) OR objective IN {objectives:Array(String)})
    AND (empty({truth_grades:Array(String)}) OR truth_grade IN {truth_grades:Array(String)})
    AND (empty({outcome_kinds:Array(String)}) OR outcome_kind IN {outcome_kinds:Array(String)})
    AND (empty({formats:Array(String)}) OR format IN {formats:Array(String)})
    AND (empty({has_video:Array(Bool)}) OR has_video IN {has_video:Array(Bool)})
ORDER BY composite_score DESC NULLS LAST, spend DESC, toString(ad_id)
LIMIT {limit:UInt16}
