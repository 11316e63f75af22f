toUInt64(1)
