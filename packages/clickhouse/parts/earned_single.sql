arrayMap(at -> if(at = {{part place by model}}, value, 0), arrayEnumerate(source_ids))
