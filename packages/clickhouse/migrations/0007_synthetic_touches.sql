-- The touches that a batch takes from the ledger: outcomes that name the ad or the click which brought them. They are staged like
-- links, and never stored with the touches of visits, so that they are always what the ledger says now.
CREATE TABLE IF NOT EXISTS {{local attribution_touches}}
(
    batch_id UUID,
    profile_id UUID,
    bucket UInt16,
    person_id UUID,
    touch_id UUID,                                      -- the outcome's
    occurred_at DateTime64(3, 'UTC'),
    channel LowCardinality(String),
    source LowCardinality(String),
    medium LowCardinality(String),
    platform LowCardinality(String),
    campaign_id UUID,
    ad_set_id UUID,
    ad_id UUID,
    -- As in touches.
    source_id UInt64 DEFAULT bitOr(bitAnd(cityHash64(channel, source, medium, platform, campaign_id, ad_set_id, ad_id), 18446744073709551614), channel = 'direct'),
    staged_at DateTime DEFAULT now()
)
ENGINE = {{engine MergeTree}}
PARTITION BY batch_id
ORDER BY (profile_id, bucket, person_id)
TTL staged_at + INTERVAL 1 DAY;

{{distributed attribution_touches by cityHash64(profile_id)}};

CREATE MATERIALIZED VIEW IF NOT EXISTS {{local touch_sources_of_attribution}} TO {{local touch_sources}} AS
SELECT DISTINCT profile_id, source_id, channel, source, medium, platform, campaign_id, ad_set_id, ad_id FROM {{local attribution_touches}};
