-- One ad of a window, as scored by the last rebuild.
SELECT * EXCEPT (profile_id, version, written_at)
FROM {{part last_scores}}
    AND ad_id = {ad_id:UUID}
