package deploy

deny contains "big" if {
	count([x | some x in numbers.range(1, 50000000)]) == 0
}
