package impair

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// ServeAPI adds to a UPF's API:
//
//	GET /ledger             the Ledger
//	GET /ledger?latest=N    of the trials only the latest N, 0 for none
//	GET /ledger?trial=N     of the trials only the one with that number
//	DELETE /ledger          forgets what was done so far
func (d *Datapath) ServeAPI(mux *http.ServeMux) {
	mux.HandleFunc("GET /ledger", d.getLedger)
	mux.HandleFunc("DELETE /ledger", func(w http.ResponseWriter, _ *http.Request) {
		if err := d.Reset(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
}

func (d *Datapath) getLedger(w http.ResponseWriter, r *http.Request) {
	latest, one := number(r, "latest", accountsMax), number(r, "trial", -1)
	if latest < 0 || one < -1 {
		http.Error(w, "latest and trial are whole numbers in 0..65535", http.StatusBadRequest)
		return
	}
	l, err := d.Ledger(latest)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if one >= 0 {
		l.Uplink.keep(uint16(one))
		l.Downlink.keep(uint16(one))
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(l)
}

// number is that of the query, or absent; -2 when it is none.
func number(r *http.Request, name string, absent int) int {
	text := r.URL.Query().Get(name)
	if text == "" {
		return absent
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return -2
	}
	return int(n)
}

// keep leaves one trial.
func (s *Side) keep(trial uint16) {
	t, found := s.Find(trial)
	if s.Trials = nil; found {
		s.Trials = []Trial{t}
	}
}
