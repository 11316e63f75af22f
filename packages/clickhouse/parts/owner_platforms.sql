if(of_level = nil_id, nil_id, of_platform)
