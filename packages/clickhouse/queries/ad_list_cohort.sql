-- The ads of a cohort: ads with the same traits, except those that the cohort ignores. Without FINAL a rewritten row
-- would count twice.
SELECT * EXCEPT (profile_id, version, written_at)
FROM {{part last_scores}}
    AND traits_key != ''
    AND arrayAll((cohort_trait, own) -> cohort_trait = '*' OR cohort_trait = own, splitByChar('|', {cohort_key:String}), splitByChar('|', traits_key))
ORDER BY toString(ad_id)
