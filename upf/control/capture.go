package control

import "time"

// Captured is one line of the answer to GET /sessions/SEID/capture: a packet.
type Captured struct {
	At      time.Time `json:"at"`
	Port    string    `json:"port"` // n3 or n6
	Out     bool      `json:"out"`  // it left there
	Dropped bool      `json:"dropped,omitempty"`
	Length  int       `json:"length"`          // of the frame, octets without FCS
	Frame   []byte    `json:"frame,omitempty"` // the first of them
}
