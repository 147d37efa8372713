package fleet

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/upflab/upflab/internal/text/safefile"
)

// OperatorName is the name that signs for the operator. No agent may have it.
const OperatorName = "operator"

// Pass is a file with all that one needs to reach a hub: its addresses, the
// certificate that proves it is the hub, a key that proves who calls and signs what one
// says, and the operator's public key. Whoever has it is that agent, or the operator.
type Pass struct {
	Name     string   `json:"name"` // of the agent; Operator is the client
	Operator bool     `json:"operator,omitempty"`
	Testbeds []string `json:"testbeds,omitempty"` // that the agent may serve
	URLs     []string `json:"urls"`
	CA       string   `json:"ca,omitempty"` // PEM; "": of a NATS server that is no hub, which has its own rules
	Seed     string   `json:"nkey"`         // of an nkey: the secret
	// OperatorKey is the operator's public nkey, and Grant what the operator signed for an
	// agent; the operator's pass has neither.
	OperatorKey string `json:"operator_nkey,omitempty"`
	Grant       string `json:"grant,omitempty"`
}

// ReadPass reads a pass, and refuses one that others can read.
func ReadPass(path string) (p Pass, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return p, fmt.Errorf("read the pass: %w; `upflab hub add NAME` makes one", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return p, fmt.Errorf("the pass %s can be read by others, and whoever has it is that agent: chmod 600 %s", path, path)
	}
	data, err := safefile.Read(path, 1<<20)
	if err != nil {
		return p, fmt.Errorf("read the pass: %w", err)
	}
	if err := json.Unmarshal(data, &p); err != nil || len(p.URLs) == 0 || p.Seed == "" {
		return p, fmt.Errorf("%s is not a pass as `upflab hub add NAME` makes it", path)
	}
	if !p.Operator && (p.OperatorKey == "" || p.Grant == "") {
		return p, fmt.Errorf("%s was made by an earlier upflab, and jobs were not signed then: make a new one by "+
			"`upflab hub add %s`", path, p.Name)
	}
	return p, nil
}

// Access is how a hub is reached: by a pass, and at a NATS server that exists with
// what that one asks for.
type Access struct {
	Pass *Pass
	URL  string // in place of the pass's; several with commas
	// At a server that is no hub Creds is a file of credentials, NKey one with a seed.
	Creds, NKey string
	// CA proves the server; Cert and Key prove who calls (mTLS). PEM files.
	CA, Cert, Key string
	// Name is the agent's, "" at the client.
	Name string
}

// reconnectEvery bounds how long after a hub's return its agents are back.
const reconnectEvery = 500 * time.Millisecond

// Connect dials, and goes on dialling when the connection is lost.
func (a Access) Connect(more ...nats.Option) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name("upflab " + a.Name), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectEvery),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond),
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(5 * time.Second),
		nats.CustomInboxPrefix(InboxPrefix(a.Name)),
	}
	auth, err := a.authentication()
	if err != nil {
		return nil, err
	}
	c, err := nats.Connect(a.urls(), append(append(options, auth...), more...)...)
	if err != nil {
		return nil, a.explain(err)
	}
	return c, nil
}

// InboxPrefix is where answers to an agent go; no other may listen there.
func InboxPrefix(agent string) string {
	if agent == "" {
		agent = OperatorName
	}
	return "_INBOX_" + agent
}

func (a Access) urls() string {
	if a.URL == "" && a.Pass != nil {
		return strings.Join(a.Pass.URLs, ",")
	}
	return a.URL
}

// identity signs and verifies. A NATS server that exists knows nobody's keys, so that a pass
// is needed there, too.
func (a Access) identity() (*Identity, error) {
	if a.Pass == nil {
		return nil, errors.New("a pass is needed to sign and to verify: `upflab hub prepare` writes it")
	}
	return a.Pass.Identity()
}

func (a Access) authentication() (options []nats.Option, err error) {
	if a.Pass != nil && a.Pass.CA != "" {
		return a.Pass.Options()
	}
	if a.Creds != "" {
		options = append(options, nats.UserCredentials(a.Creds))
	}
	if a.NKey != "" {
		o, err := nats.NkeyOptionFromSeed(a.NKey)
		if err != nil {
			return nil, fmt.Errorf("read the nkey %s: %w", a.NKey, err)
		}
		options = append(options, o)
	}
	if a.CA != "" {
		options = append(options, nats.RootCAs(a.CA))
	}
	if a.Cert != "" {
		options = append(options, nats.ClientCert(a.Cert, a.Key))
	}
	return options, nil
}

// CertificateName is what a hub's certificate is for, whatever its addresses are.
const CertificateName = "upflab-hub"

// Options are those of a connection with this pass.
func (p *Pass) Options() ([]nats.Option, error) {
	pair, err := nkeys.FromSeed([]byte(p.Seed))
	if err != nil {
		return nil, fmt.Errorf("the pass of %s: %w", p.Name, err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(p.CA)) {
		return nil, fmt.Errorf("the pass of %s has no certificate of the hub", p.Name)
	}
	return []nats.Option{
		nats.Nkey(public, pair.Sign),
		nats.Secure(&tls.Config{RootCAs: roots, ServerName: CertificateName, MinVersion: tls.VersionTLS13}),
	}, nil
}

func (a Access) explain(err error) error {
	text := ""
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.Is(err, nats.ErrAuthorization), strings.Contains(err.Error(), "Authorization Violation"):
		text = "; it does not know this key: `upflab hub add NAME` on the hub's machine makes a new pass"
	case errors.As(err, &unknown):
		text = "; its certificate is not that of the hub which made the pass: is another hub running there?"
	case errors.Is(err, nats.ErrNoServers):
		text = "; is the hub running, and reachable from here?"
	}
	return fmt.Errorf("reach the hub at %s: %w%s", Printable(a.urls()), err, text)
}
