if(of_ad = nobody AND platform != '' AND medium = 'paid', of_platform, nobody)
