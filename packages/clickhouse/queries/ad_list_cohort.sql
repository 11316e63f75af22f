-- The ads that one was compared with: alike in all that was not let go of its cohort. Without FINAL a rewritten row would count twice.
SELECT * EXCEPT (profile_id, version, written_at)
FROM {{part last_scores}}
    AND traits_key != ''
    AND arrayAll((kept, own) -> kept = '*' OR kept = own, splitByChar('|', {cohort_key:String}), splitByChar('|', traits_key))
ORDER BY toString(ad_id)
