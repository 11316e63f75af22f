if(of_ad = nil_id AND platform != '' AND medium = 'paid', of_platform, nil_id)
