// Command record is the UPF and the core around an SMF whose PFCP is to be captured. It
// accepts everything, and gives SEIDs and TEIDs that are placeholders. record.sh runs it.
package main

import (
	"fmt"
	"net"
	"os"
	"time"
)

func main() {
	conn, err := net.ListenPacket("udp4", upfN4.String()+":8805")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	u := &upf{conn: conn, sessions: map[uint64]int{}}
	go u.serve()
	switch {
	case len(os.Args) == 2 && os.Args[1] == "core":
		err = core(u)
	case len(os.Args) == 2 && os.Args[1] == "upf":
		time.Sleep(time.Minute)
	default:
		err = fmt.Errorf("say core or upf")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
