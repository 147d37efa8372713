package trex

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
)

// Where a server listens for requests, unless it was told otherwise.
const DefaultPort = "4501"

// The API that is spoken: the stateless one of TRex v3. Servers of the same major number
// with a higher minor one know all of it.
const (
	apiName  = "STL"
	apiMajor = 5
	apiMinor = 1
)

// Config says which server, and which of its ports.
type Config struct {
	Server         string // HOST or HOST:PORT
	N3Port, N6Port int    // towards the UPF's N3, N6
	Force          bool   // take the ports from whoever has them
}

// Server is a TRex server, and two of its ports, which nobody else can use meanwhile. Close it
// when done.
type Server struct {
	Version string // "v3.08"

	rpc     rpc
	c       Config
	user    string
	session uint32
	ports   map[int]*port
	Facts   Facts
}

// Facts are those of a server that a reader of figures wants.
type Facts struct {
	Host     string `json:"hostname"`
	CPU      string `json:"core_type"`
	Cores    int    `json:"dp_core_count"`             // that send
	Software bool   `json:"advanced_per_stream_stats"` // it looks at every packet that arrives, in software
	Ports    []struct {
		Index  int    `json:"index"`
		Driver string `json:"driver"`
		MAC    string `json:"hw_mac"`
	} `json:"ports"`
}

// port is one of the server's that are ours.
type port struct {
	id      int
	handler string // that acquire gave
	mac     net.HardwareAddr
	speed   float64 // bits/s; 0: TRex does not know
	driver  string
	before  *layers // its addresses before we changed them; nil: we did not
}

// Open connects to a server, checks that it is one, and takes the ports.
func Open(c Config) (*Server, error) {
	address := c.Server
	if _, _, err := net.SplitHostPort(address); err != nil {
		address = net.JoinHostPort(address, DefaultPort)
	}
	name, _ := os.Hostname() // it is shown to those who find the ports taken
	s := &Server{rpc: rpc{address: address}, c: c, user: "upflab@" + name, session: rand.Uint32N(1<<31-1) + 1, ports: map[int]*port{}}
	err := s.check()
	for _, id := range []int{c.N3Port, c.N6Port} {
		if err == nil {
			err = s.take(id)
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// check asks whether the server speaks what we do.
func (s *Server) check() error {
	var version struct{ Version, Mode string }
	if err := s.rpc.do("get_version", nil, &version); err != nil {
		return err
	}
	s.Version = version.Version
	var api struct {
		Handler string `json:"api_h"`
	}
	err := s.rpc.do("api_sync_v2", map[string]any{"name": apiName, "major": apiMajor, "minor": apiMinor}, &api)
	var refused *RefusedError
	switch {
	case errors.As(err, &refused):
		return fmt.Errorf("the TRex server %s is %s in mode %s, and upflab needs the stateless mode's API %d.%d, "+
			"as TRex v3.08 has it (its answer: %s)",
			s.rpc.address, oneLine(version.Version), oneLine(version.Mode), apiMajor, apiMinor, refused.Message)
	case err != nil:
		return err
	}
	s.rpc.handler = api.Handler
	return s.rpc.do("get_system_info", nil, &s.Facts)
}

// take acquires a port, and holds that it can be used.
func (s *Server) take(id int) error {
	p := &port{id: id}
	for _, x := range s.Facts.Ports {
		if x.Index == id {
			p.driver = x.Driver
			p.mac, _ = net.ParseMAC(x.MAC) // it is checked below
		}
	}
	if p.mac == nil {
		return fmt.Errorf("the TRex server %s has no port %d (it has %d): set trex.n3_port and trex.n6_port",
			s.rpc.address, id, len(s.Facts.Ports))
	}
	err := s.rpc.do("acquire", map[string]any{"port_id": id, "user": s.user, "session_id": s.session, "force": s.c.Force}, &p.handler)
	var refused *RefusedError
	if errors.As(err, &refused) {
		return fmt.Errorf("port %d of the TRex server %s is not free (%s): wait for it, or take it with "+
			"trex.force=true", id, s.rpc.address, refused.Message)
	}
	if err != nil {
		return err
	}
	s.ports[id] = p
	return s.ready(p)
}

// ready stops and clears what an earlier owner left on a port, and checks its link.
func (s *Server) ready(p *port) error {
	if err := s.clear(p); err != nil {
		return err
	}
	status, err := s.linked(p)
	if err != nil {
		return err
	}
	if !status.Attributes.Link.Up {
		return fmt.Errorf("port %d of the TRex server %s has no link: is it cabled to the UPF, whose port has to be up?", p.id, s.rpc.address)
	}
	p.speed = status.Attributes.Speed * 1e9
	if mac, err := net.ParseMAC(status.Attributes.Layers.Ethernet.Source); err == nil {
		p.mac = mac
	}
	return nil
}

// linkWithin is how long a port may take to have a link: TRex looks at it each second, and an
// earlier run may just have given the UPF's end back.
const linkWithin = 3 * time.Second

// linked is a port's status once it has a link, or when it should have had one.
func (s *Server) linked(p *port) (status portStatus, err error) {
	wait.Until(linkWithin, 100*time.Millisecond, func() bool {
		status, err = s.status(p.id)
		return err != nil || status.Attributes.Link.Up
	})
	return status, err
}

// clear leaves a port of ours without traffic and streams.
func (s *Server) clear(p *port) error {
	return s.rpc.all([]call{
		{"stop_traffic", s.own(p, map[string]any{"profile_id": allProfiles})},
		{"remove_all_streams", s.own(p, map[string]any{"profile_id": profile})},
	}, nil)
}

// Streams are in a profile of the port; it has one name for those of clients that know none.
const (
	profile     = "_"
	allProfiles = "*"
)

// own are parameters of a call that only a port's owner may make.
func (s *Server) own(p *port, params map[string]any) map[string]any {
	if params == nil {
		params = map[string]any{}
	}
	params["port_id"], params["handler"] = p.id, p.handler
	return params
}

// MACs are the addresses of the ports towards N3 and N6.
func (s *Server) MACs() (n3, n6 net.HardwareAddr) { return s.portOf(true).mac, s.portOf(false).mac }

// Words say which server it is.
func (s *Server) Words() string {
	how := "hardware filters"
	if s.Facts.Software {
		how = "software mode"
	}
	return fmt.Sprintf("TRex %s at %s (%s), %d sending cores, ports %d and %d (%s), %s",
		s.Version, s.rpc.address, s.Facts.Host, s.Facts.Cores, s.c.N3Port, s.c.N6Port, s.portOf(true).driver, how)
}

func (s *Server) portOf(n3 bool) *port {
	if n3 {
		return s.ports[s.c.N3Port]
	}
	return s.ports[s.c.N6Port]
}

// lost reports whether a call was not answered, or the ports were taken.
func (s *Server) lost() bool {
	s.rpc.mu.Lock()
	defer s.rpc.mu.Unlock()
	return s.rpc.failed
}

// Close gives the ports back, without traffic and streams, and leaves the server. From one that
// was lost before, and still is, it is no error.
func (s *Server) Close() error {
	before := s.lost()
	var errs []error
	for _, p := range s.ports {
		err := errors.Join(s.clear(p), s.restore(p), s.rpc.do("release", s.own(p, nil), nil))
		if before && lost(err) {
			break
		}
		errs = append(errs, err)
	}
	s.ports = map[int]*port{}
	return errors.Join(append(errs, s.rpc.close())...)
}
