if(channel = '', nobody, reinterpretAsUUID(sipHash128(channel)))
