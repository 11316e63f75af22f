            -- Position-based: 2/5 for each end and 1/5 for the m touches between; remaining minor units go to the
            -- largest remainders.
            toUInt64(greatest(toInt64(n) - 2, 1)) AS m,
            intDiv(2 * amount, 5) AS end_share,
            modulo(2 * amount, 5) * m AS end_rest,
            intDiv(amount, 5 * m) AS middle_share,
            modulo(amount, 5 * m) AS middle_rest,
            amount - 2 * end_share - m * middle_share AS position_left,
            if(n <= 2, linear, arrayMap(at -> sign * toInt64(
                if(at = 1 OR at = n, end_share, middle_share)
                + (multiIf(
                    end_rest = middle_rest, at,
                    end_rest > middle_rest, multiIf(at = 1, 1, at = n, 2, at + 1),
                    multiIf(at = 1, n - 1, at = n, n, at - 1)) <= position_left)), places)) AS position_based
