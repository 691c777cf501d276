select max(a.i + b.j)
from range(50000000) a(i)
join (select range * 7 as j from range(50000000)) b on a.i = b.j
