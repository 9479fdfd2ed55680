module cgo

go 1.18
