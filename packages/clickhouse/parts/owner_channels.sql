if(channel = '', nil_id, reinterpretAsUUID(sipHash128(channel)))
