select max(length(repeat('x', 200000000) || l_comment)) from lineitem
