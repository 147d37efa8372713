package flags

import (
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/fleet"
)

// Hub are the flags that say how a hub is reached.
type Hub struct{ Pass, Address, URL, creds, nkey, CA, cert, key string }

// PassVariable names a pass where --pass does not.
const PassVariable = "UPFLAB_PASS"

// Add declares them.
func (f *Hub) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.Pass, "pass", "", "`FILE` that `upflab hub` made; default: $"+PassVariable)
	c.Flags().StringVar(&f.Address, "hub", "",
		"`HOST:PORT` where the pass's hub is reached from here, such as a forwarded port; default: as the pass says")
	f.AddServer(c)
}

// AddServer declares those of a NATS server that exists.
func (f *Hub) AddServer(c *cobra.Command) {
	c.Flags().StringVar(&f.URL, "nats", "", "`URL` of a NATS server or cluster that exists, in place of a hub's own")
	c.Flags().StringVar(&f.creds, "creds", "", "with --nats: `FILE` of credentials")
	c.Flags().StringVar(&f.nkey, "nkey", "", "with --nats: `FILE` of an nkey's seed")
	c.Flags().StringVar(&f.CA, "ca", "", "with --nats: `FILE` of the authority that signed the server's certificate")
	c.Flags().StringVar(&f.cert, "cert", "", "with --nats: `FILE` of the client's certificate (mTLS)")
	c.Flags().StringVar(&f.key, "key", "", "with --nats: `FILE` of its key")
}

// Arguments are those of a run of a testbed's agent, for its access to the same hub.
func (f *Hub) Arguments(testbed string) []string {
	args := []string{"--testbed", testbed}
	for _, a := range []struct{ name, value string }{{"--nats", f.URL}, {"--hub", f.Address}, {"--nkey", f.nkey},
		{"--creds", f.creds}, {"--pass", f.passFile()}, {"--ca", f.CA},
		{"--cert", f.cert}, {"--key", f.key}} {
		if a.value == "" {
			continue
		}
		if whole, err := filepath.Abs(a.value); err == nil && a.name != "--nats" && a.name != "--hub" {
			a.value = whole
		}
		args = append(args, a.name, a.value)
	}
	return args
}

// passFile is the file of a pass; "": none is named.
func (f *Hub) passFile() string {
	if f.Pass == "" {
		return os.Getenv(PassVariable)
	}
	return f.Pass
}

// Reach reads them for a run, with an agent's access or the operator's.
func (f *Hub) Reach(name string) (fleet.Access, error) {
	if path := f.passFile(); path != "" {
		if p, err := fleet.ReadPass(path); err == nil && p.Operator {
			name = ""
		} else if err == nil {
			name = p.Name
		}
	}
	return f.Access(name)
}

// Server is how a NATS server that exists is reached, without a pass.
func (f *Hub) Server() fleet.Access {
	return fleet.Access{URL: f.URL, Creds: f.creds, NKey: f.nkey, CA: f.CA, Cert: f.cert, Key: f.key}
}

// Access reads them; name is the agent's, "" at the client.
func (f *Hub) Access(name string) (a fleet.Access, err error) {
	if f.URL != "" && f.Address != "" {
		return a, exit.WrongConfig(fmt.Errorf("--nats with --hub: a hub or a NATS server, not both"))
	}
	if a, err = f.byPass(name); err != nil {
		return a, err
	}
	if f.URL != "" && a.Pass.CA != "" {
		return a, exit.WrongConfig(fmt.Errorf("--nats with the pass of a hub that has its own server: `upflab hub " +
			"prepare` makes passes for a NATS server"))

	}
	whole := f.Server()
	whole.Pass, whole.Name = a.Pass, a.Name
	return whole, nil
}

// byPass is access by the pass of a hub.
func (f *Hub) byPass(name string) (a fleet.Access, err error) {
	path := f.passFile()
	if path == "" {
		return a, exit.WrongConfig(fmt.Errorf("which hub? give --pass FILE (or $%s)", PassVariable))
	}
	p, err := fleet.ReadPass(path)
	if err != nil {
		return a, exit.WrongConfig(err)
	}
	if name == "" && !p.Operator {
		return a, exit.WrongConfig(fmt.Errorf("%s is agent %s's pass; this needs the operator's, which `upflab hub run` names", path, p.Name))
	}
	if f.Address != "" {
		if _, _, err := net.SplitHostPort(f.Address); err != nil {
			return a, exit.WrongConfig(fmt.Errorf("--hub %s: %w; write HOST:PORT", f.Address, err))
		}
		p.URLs = []string{"tls://" + f.Address}
	}
	a = fleet.Access{Pass: &p, Name: name}
	if !p.Operator {
		a.Name = p.Name
	}
	return a, nil
}
