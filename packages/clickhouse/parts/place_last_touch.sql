length(source_ids)
