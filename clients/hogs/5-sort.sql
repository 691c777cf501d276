select l_comment || repeat('z', 2000) as p from lineitem order by p offset 1000000000
