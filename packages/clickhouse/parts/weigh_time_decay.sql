            -- Time decay: see packages/rules/attribution/decay.ts.
            arrayMap(time -> intDiv(times[-1] - time, 60000), times) AS ages,
            arrayMap(age -> bitShiftRight({hour_weights:Array(UInt64)}[modulo(intDiv(age, 60), 168) + 1] * {minute_weights:Array(UInt64)}[modulo(age, 60) + 1], intDiv(age, 10080) + 5), ages) AS weights,
            arraySum(weights) AS weight,
            arrayMap(own -> toUInt128(amount) * own, weights) AS portions,
            arrayMap(portion -> toUInt64(intDiv(portion, weight)), portions) AS decay_shares,
            arrayMap((portion, share) -> toInt64(portion - toUInt128(share) * weight), portions, decay_shares) AS decay_rests,
            amount - arraySum(decay_shares) AS decay_left,
            -- The last touch that still receives a minor unit: its remainder, and its position among equal
            -- remainders.
            arraySort((at, rest) -> bitShiftLeft(toInt128(-rest), 16) + at, places, decay_rests)[decay_left] AS decay_last,
            decay_rests[decay_last] AS decay_last_rest,
            arrayMap((share, rest, at) -> sign * toInt64(share + (decay_left > 0 AND (rest > decay_last_rest OR (rest = decay_last_rest AND at <= decay_last)))), decay_shares, decay_rests, places) AS time_decay
