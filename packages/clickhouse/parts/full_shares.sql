-- Fail while the model has not been computed for every conversion: totals would be too low.
if(throwIf(length({{part shares by model}}) != length(source_ids), 'Not every conversion has been worked out under this model yet.') = 0, {{part shares by model}}, [])
