-- A model that has not been worked out for every conversion yet would show too little of everything: rather nothing at all.
if(throwIf(length({{part shares by model}}) != length(source_ids), 'Not every conversion has been worked out under this model yet.') = 0, {{part shares by model}}, [])
