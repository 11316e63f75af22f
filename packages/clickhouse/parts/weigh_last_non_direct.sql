            -- Its position in the path. The lowest bit of a source id marks a direct visit.
            toUInt16(if(arrayLastIndex(source -> bitAnd(source, 1) = 0, path.3) AS found = 0, n, found)) AS last_non_direct
