if(of_level = nobody, nobody, of_platform)
