{{part full_shares}} AS shares
