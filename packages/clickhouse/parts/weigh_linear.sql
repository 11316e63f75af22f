            -- Linear: the remaining minor units go to the earliest touches.
            intDiv(amount, greatest(n, 1)) AS even_share,
            modulo(amount, greatest(n, 1)) AS even_rest,
            arrayMap(at -> sign * toInt64(even_share + (at <= even_rest)), places) AS linear
