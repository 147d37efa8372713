package upf

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/upflab/upflab/upf/control"
	"github.com/upflab/upflab/upf/datapath"
)

// Bounds of a capture.
const (
	captureMost    = 100_000
	captureLongest = time.Hour
	captureWaiting = 4096 // packets that the client has not read yet
)

// getCapture sends a session's packets as they come: ?packets=N at most, for ?time=T.
func (u *UPF) getCapture(w http.ResponseWriter, r *http.Request) {
	seid, err := control.ParseSEID(r.PathValue("seid"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	packets, err1 := strconv.Atoi(cmp.Or(r.FormValue("packets"), "1000"))
	period, err2 := time.ParseDuration(cmp.Or(r.FormValue("time"), "1m"))
	if err1 != nil || err2 != nil || packets < 1 || packets > captureMost || period <= 0 || period > captureLongest {
		http.Error(w, fmt.Sprintf("give 1 to %d packets, and a time up to %v", captureMost, captureLongest), http.StatusBadRequest)
		return
	}
	info, ok := u.pfcp.Session(uint64(seid))
	if !ok {
		http.Error(w, fmt.Sprintf("there is no session %v: see `upflab upf sessions`", seid), http.StatusNotFound)
		return
	}
	if u.can.Capture == nil {
		http.Error(w, fmt.Sprintf("datapath.kind %s does not capture: use tcpdump on N3 and N6", u.cfg.Datapath.Kind), http.StatusNotImplemented)
		return
	}
	seen := make(chan control.Captured, captureWaiting)
	run, err := u.can.Capture(watchKeys(u.describe(info)), func(s datapath.Seen) {
		select {
		case seen <- captured(s):
		default: // the client is too slow
		}
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	defer run.Close()
	http.NewResponseController(w).Flush() // the client knows that it has begun
	send(w, r, seen, packets, time.After(period))
}

// send writes packets until there are enough, or the time is over.
func send(w http.ResponseWriter, r *http.Request, seen <-chan control.Captured, packets int, over <-chan time.Time) {
	enc := json.NewEncoder(w)
	for n := 0; n < packets; {
		select {
		case <-r.Context().Done():
			return
		case <-over:
			return
		case one := <-seen:
			if !one.Dropped {
				n++
			}
			if enc.Encode(one) != nil {
				return
			}
			if len(seen) == 0 {
				http.NewResponseController(w).Flush()
			}
		}
	}
}

func captured(s datapath.Seen) control.Captured {
	port := "n3"
	if s.N6 {
		port = "n6"
	}
	frame := make([]byte, len(s.Frame))
	copy(frame, s.Frame)
	return control.Captured{At: s.At, Port: port, Out: s.Out, Dropped: s.Dropped, Length: s.Length, Frame: frame}
}
