package trex

import (
	"encoding/hex"
	"encoding/json"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"
)

// What libzmq 4.3.5 sends as a REP socket to a client of ZMTP 3.0 (recorded).
const (
	libzmqGreeting = "ff00000000000000017f03014e554c4c00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004190552454144590b536f636b65742d5479706500000003524550"
	libzmqPong     = "01000004706f6e67" // the answer "pong"
)

func unhex(t testing.TB, text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fake is a TRex server in memory, with two ports, each of which gets what the other sends.
type fake struct {
	t        testing.TB
	listener net.Listener

	mu      sync.Mutex
	owner   [2]string
	streams [2]map[int]map[string]any
	began   [2]time.Time
	lasts   [2]time.Duration
	sent    [2]float64 // before the traffic under way
	groups  map[string]float64
	calls   map[string]int
	major   int
	down    bool   // the ports' links
	loses   uint64 // packets of each reading
	hang    bool   // it answers no more
	taken   bool   // the ports are somebody else's now
	clock   func() time.Time
}

func newFake(t testing.TB) *fake {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &fake{t: t, listener: l, major: apiMajor, calls: map[string]int{}, groups: map[string]float64{}, clock: time.Now}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	return s
}

func (s *fake) address() string { return s.listener.Addr().String() }

func (s *fake) config() Config { return Config{Server: s.address(), N3Port: 0, N6Port: 1} }

func (s *fake) serve(c net.Conn) {
	defer c.Close()
	c.Write(unhex(s.t, libzmqGreeting))
	if readGreeting(c) != nil {
		return
	}
	if _, _, err := readFrame(c); err != nil { // READY
		return
	}
	for {
		text, err := readAnswer(c)
		if err != nil {
			return
		}
		s.mu.Lock()
		hang := s.hang
		s.mu.Unlock()
		if hang {
			return
		}
		if text, err = unpack(text); err != nil {
			return
		}
		c.Write(appendFrame(appendFrame(nil, flagMore, nil), 0, s.answer(text)))
	}
}

func (s *fake) answer(text []byte) []byte {
	var list []request
	if text[0] != '[' {
		var one request
		json.Unmarshal(text, &one)
		b, _ := json.Marshal(s.one(one))
		return b
	}
	json.Unmarshal(text, &list)
	var answers []any
	for _, r := range list {
		answers = append(answers, s.one(r))
	}
	b, _ := json.Marshal(answers)
	return b
}

func (s *fake) one(r request) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[r.Method]++
	result, refusal := s.do(r)
	if refusal != "" {
		return map[string]any{"jsonrpc": "2.0", "id": r.ID,
			"error": map[string]any{"code": -32000, "message": "Failed To Execute Command", "specific_err": refusal}}
	}
	return map[string]any{"jsonrpc": "2.0", "id": r.ID, "result": result}
}

func (s *fake) do(r request) (result any, refusal string) {
	port := 0
	if p, is := r.Params["port_id"].(float64); is {
		port = int(p)
	}
	switch r.Method {
	case "get_version":
		return map[string]any{"version": "v3.08", "mode": "STL"}, ""
	case "api_sync_v2":
		if r.Params["major"].(float64) != float64(s.major) {
			return nil, "RPC version mismatch: a newer client version is required\n(API type 'STL': - server: '9.0', client: '5.1')"
		}
		return map[string]any{"api_h": "handler"}, ""
	case "get_system_info":
		return map[string]any{"hostname": "gen", "dp_core_count": 1, "advanced_per_stream_stats": true, "ports": []any{
			map[string]any{"index": 0, "driver": "net_af_packet", "hw_mac": "02:75:70:66:03:01"},
			map[string]any{"index": 1, "driver": "net_af_packet", "hw_mac": "02:75:70:66:06:01"}}}, ""
	case "acquire":
		if s.owner[port] != "" && r.Params["force"] != true {
			return nil, "port is already taken by '" + s.owner[port] + "'"
		}
		s.owner[port] = r.Params["user"].(string)
		return "own" + strconv.Itoa(port), ""
	case "get_port_status":
		state := "IDLE"
		if s.running(port) {
			state = "TX"
		}
		return map[string]any{"owner": s.owner[port], "state": state, "attr": map[string]any{"link": map[string]any{"up": !s.down}, "speed": 10,
			"layer_cfg": map[string]any{"ether": map[string]any{"src": "02:75:70:66:0" + strconv.Itoa(3+3*port) +
				":01", "dst": "00:00:00:00:00:00", "state": "unconfigured"},
				"ipv4": map[string]any{"state": "none"}}}}, ""
	case "get_global_stats":
		return map[string]any{"m_cpu_util": 12.5, "m_rx_cpu_util": 3.0, "m_total_queue_full": 0,
			"m_total_queue_drop": 0, "m_total_alloc_error": 0}, ""
	case "get_port_stats":
		other := 1 - port
		return map[string]any{"opackets": s.total(port), "obytes": 100 * s.total(port),
			"ipackets": s.total(other) - min(s.loses, s.total(other)), "ibytes": 100 * s.total(other), "ierrors": 0,
			"oerrors": 0}, ""
	case "get_pgid_stats":
		return s.groupAnswer(), ""
	}
	if s.taken || r.Params["handler"] != "own"+strconv.Itoa(port) {
		return nil, "port is not owned by you or your current executing session"
	}
	return s.owned(r, port)
}

func (s *fake) owned(r request, port int) (result any, refusal string) {
	switch r.Method {
	case "release":
		s.owner[port] = ""
	case "remove_all_streams":
		s.streams[port] = nil
		clear(s.groups)
	case "add_stream":
		if s.streams[port] == nil {
			s.streams[port] = map[int]map[string]any{}
		}
		s.streams[port][int(r.Params["stream_id"].(float64))] = r.Params["stream"].(map[string]any)
	case "start_traffic":
		s.began[port], s.lasts[port] = s.clock(), time.Duration(r.Params["duration"].(float64)*float64(time.Second))
	case "stop_traffic":
		s.settle(port)
	default:
		return nil, "unknown method " + r.Method
	}
	return map[string]any{}, ""
}

func (s *fake) running(port int) bool {
	if s.began[port].IsZero() || s.clock().Sub(s.began[port]) >= s.lasts[port] {
		return false
	}
	for _, x := range s.streams[port] {
		mode := x["mode"].(map[string]any)
		if total, is := mode["total_pkts"].(float64); !is || s.sentBy(x, port) < total {
			return true
		}
	}
	return false
}

// sentBy is how many packets a stream of a port has sent: a burst ends after its packets.
func (s *fake) sentBy(x map[string]any, port int) float64 {
	mode := x["mode"].(map[string]any)
	n := mode["rate"].(map[string]any)["value"].(float64)*s.seconds(port) + 1e-6
	if total, is := mode["total_pkts"].(float64); is {
		return min(n, total)
	}
	return n
}

func (s *fake) seconds(port int) float64 {
	if s.began[port].IsZero() {
		return 0
	}
	return min(s.clock().Sub(s.began[port]), s.lasts[port]).Seconds()
}

func (s *fake) total(port int) uint64 {
	n := s.sent[port]
	for _, x := range s.streams[port] {
		n += s.sentBy(x, port)
	}
	return uint64(n)
}

func (s *fake) settle(port int) {
	s.sent[port] = float64(s.total(port))
	s.began[port] = time.Time{}
}

func (s *fake) groupAnswer() any {
	flows, delays := map[string]any{}, map[string]any{"g": nil}
	for port := range s.streams {
		for _, x := range s.streams[port] {
			statistics := x["flow_stats"].(map[string]any)
			if statistics["enabled"] != true {
				continue
			}
			id := strconv.Itoa(int(statistics["stream_id"].(float64)))
			n := uint64(s.sentBy(x, port))
			got := n - min(s.loses, n)
			flows[id] = map[string]any{"tp": map[string]any{strconv.Itoa(port): n}, "rp": map[string]any{strconv.Itoa(1 - port): got}}
			delays[id] = map[string]any{"lat": map[string]any{"jit": 3, "total_max": 45, "total_min": 2,
				"last_max": 30, "average": 7.5, "histogram": map[string]any{"20": got / 2, "40": got / 10}},
				"er": map[string]any{"drp": n - got, "ooo": 1}}
		}
	}
	return map[string]any{"flow_stats": flows, "latency": delays, "ver_id": nil}
}
