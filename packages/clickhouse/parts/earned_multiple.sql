{{part full_shares}}
