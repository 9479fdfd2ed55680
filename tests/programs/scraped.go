// scraped.go - a program with /debug/pprof for tests/serve/scrape/scraper_test.c. It says its port; /grab?n=N allocates N MiB,
// which its heap profile has when that is answered.
package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"strconv"
)

var kept []byte
var work uint64

//go:noinline
func grab(n int) {
	for i := 0; i < n; i++ {
		kept = make([]byte, 1<<20)
	}
}

//go:noinline
func burn() {
	for {
		work = work*6364136223846793005 + 1442695040888963407
	}
}

func main() {
	runtime.MemProfileRate = 1
	address := "127.0.0.1:0"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	http.HandleFunc("/grab", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.FormValue("n"))
		grab(n)
		runtime.GC() // a heap profile is of the last but one
		runtime.GC()
	})
	go burn()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	http.Serve(listener, nil)
}
