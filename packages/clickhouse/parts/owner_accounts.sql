if(of_level IN ({{part entities_of_accounts}}), reinterpretAsUUID(sipHash128('account')), nil_id)
