select count(*) from unnest(range(100000000))
