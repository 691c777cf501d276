select len(list(l_comment || repeat('y', 2000))) from lineitem
