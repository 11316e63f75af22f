ad_entities FINAL
