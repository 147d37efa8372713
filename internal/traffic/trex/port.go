package trex

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
)

// portStatus is what the server says of a port.
type portStatus struct {
	Owner      string            `json:"owner"`
	State      string            `json:"state"` // "IDLE", "STREAMS", "TX" ...
	Profiles   map[string]string `json:"state_profile"`
	Attributes struct {
		Link struct {
			Up bool `json:"up"`
		} `json:"link"`
		Speed  float64 `json:"speed"` // Gbit/s
		Layers layers  `json:"layer_cfg"`
	} `json:"attr"`
}

// layers has the addresses of a port, and those to which it sends.
type layers struct {
	Ethernet struct {
		Source      string `json:"src"`
		Destination string `json:"dst"`
		State       string `json:"state"` // "configured", "unconfigured"
	} `json:"ether"`
	IPv4 struct {
		Source      string `json:"src"`
		Destination string `json:"dst"`
		State       string `json:"state"` // "none", "unresolved", "resolved"
	} `json:"ipv4"`
}

// sending reports whether streams of ours are being sent.
func (s *portStatus) sending() bool { return s.State == "TX" || s.Profiles[profile] == "TX" }

func (s *Server) status(id int) (x portStatus, err error) {
	err = s.rpc.do("get_port_status", map[string]any{"port_id": id, "profile_id": allProfiles, "block": false}, &x)
	return x, err
}

func (s *Server) stats(id int) (x portStats, err error) {
	err = s.rpc.do("get_port_stats", map[string]any{"port_id": id}, &x)
	return x, err
}

// slow carries out a call that the server may take some time for.
func (s *Server) slow(method string, params map[string]any) error {
	params["block"] = false
	err := s.rpc.do(method, params, nil)
	wait.Until(answerWithin, 50*time.Millisecond, func() bool {
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Code != codeUnderWay {
			return true
		}
		ticket, bad := number64(refused.Message)
		if bad != nil {
			return true
		}
		err = s.rpc.do("get_async_results", map[string]any{"ticket_id": ticket}, nil)
		return false
	})
	return err
}

func number64(text string) (uint64, error) { return strconv.ParseUint(strings.TrimSpace(text), 10, 64) }
