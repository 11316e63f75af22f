{{part listed_parent}}
{{part listed_account}}
