-- Which reading of the provider's days told a term last, so that those it tells no more can be removed.
ALTER TABLE site_searches ADD COLUMN reading text NOT NULL DEFAULT '';
