package calibrator

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// ServeAPI adds to a UPF's API:
//
//	GET /ledger                 the Ledger
//	GET /ledger?totals          without trials
//	GET /ledger?trial=N         of the trials only the one with that number
//	DELETE /ledger              forgets what was done so far
func (d *Datapath) ServeAPI(mux *http.ServeMux) {
	mux.HandleFunc("GET /ledger", d.getLedger)
	mux.HandleFunc("DELETE /ledger", func(w http.ResponseWriter, _ *http.Request) {
		if err := d.Reset(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
}

func (d *Datapath) getLedger(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	l, err := d.ledger(!query.Has("totals"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if query.Has("trial") {
		n, err := strconv.ParseUint(query.Get("trial"), 10, 16)
		if err != nil {
			http.Error(w, "trial is not a number in 0..65535", http.StatusBadRequest)
			return
		}
		l.Uplink.keep(uint16(n))
		l.Downlink.keep(uint16(n))
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(l)
}

// keep leaves one trial.
func (s *Side) keep(trial uint16) {
	t, found := s.Find(trial)
	if s.Trials = nil; found {
		s.Trials = []Trial{t}
	}
}
