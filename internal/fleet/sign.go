package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/nats-io/nkeys"
)

// What is signed. The kind is part of what a signature covers, so that one kind of message
// cannot be taken for another.
const (
	kindGrant  = "upflab grant"
	kindJob    = "upflab job"
	kindPlan   = "upflab plan"
	kindReport = "upflab report"
	kindPart   = "upflab part"
	kindAnswer = "upflab answer"
)

// Grant is what the operator lets an agent do, with the agent's public key. The operator signs
// it, and the agent shows it with all that it signs: whoever has the operator's public key
// needs no list of agents.
type Grant struct {
	Agent    string   `json:"agent"`
	Key      string   `json:"nkey"` // public
	Testbeds []string `json:"testbeds"`
	With     []string `json:"with,omitempty"` // testbeds that take part in measurements which it leads
}

// Signer is who signed a message: an agent, or the operator, who has no grant.
type Signer struct{ *Grant }

// IsOperator reports whether the operator signed.
func (s Signer) IsOperator() bool { return s.Grant == nil }

// Name is the agent's, or the operator's.
func (s Signer) Name() string {
	if s.IsOperator() {
		return OperatorName
	}
	return s.Agent
}

// Serves reports whether the signer may speak for a testbed.
func (s Signer) Serves(testbed string) bool {
	return s.IsOperator() || slices.Contains(s.Testbeds, testbed)
}

// Leads reports whether the signer may ask a testbed to take part in a measurement.
func (s Signer) Leads(testbed string) bool { return s.IsOperator() || slices.Contains(s.With, testbed) }

// Identity signs with the key of a pass, and verifies what others signed.
type Identity struct {
	pair     nkeys.KeyPair
	operator nkeys.KeyPair // public
	grant    []byte        // as the operator signed it; nil: this is the operator
	known    sync.Map      // grants that were verified, by their text: *Grant
}

// Identity is that of a pass.
func (p *Pass) Identity() (*Identity, error) {
	pair, err := nkeys.FromSeed([]byte(p.Seed))
	if err != nil {
		return nil, fmt.Errorf("the pass of %s: %w", p.Name, err)
	}
	i := &Identity{pair: pair, grant: []byte(p.Grant)}
	if p.Operator {
		i.operator, i.grant = pair, nil
		return i, nil
	}
	if i.operator, err = nkeys.FromPublicKey(p.OperatorKey); err != nil {
		return nil, fmt.Errorf("the pass of %s has no public key of the operator: %w", p.Name, err)
	}
	return i, nil
}

// Verifier verifies what the owner of a public key, the operator, and its agents signed. It
// cannot sign.
func Verifier(operatorKey string) (*Identity, error) {
	operator, err := nkeys.FromPublicKey(operatorKey)
	if err != nil {
		return nil, fmt.Errorf("the operator's public key: %w", err)
	}
	return &Identity{operator: operator}, nil
}

// signature is the first line of a signed message. What is signed follows it.
type signature struct {
	Signature []byte `json:"sig"`
	Grant     string `json:"grant,omitempty"` // signed; "": the operator's signature
}

func covered(kind string, body []byte) []byte { return append([]byte(kind+"\x00"), body...) }

// sign puts a signature before a text.
func (i *Identity) sign(kind string, body []byte) ([]byte, error) {
	if i.pair == nil {
		return nil, errors.New("nothing can be signed with a public key")
	}
	sig, err := i.pair.Sign(covered(kind, body))
	if err != nil {
		return nil, fmt.Errorf("sign a message: %w", err)
	}
	head, err := json.Marshal(signature{sig, string(i.grant)})
	if err != nil {
		return nil, err
	}
	return slices.Concat(head, []byte("\n"), body), nil
}

// ErrUnsigned is a message that nobody signed whom the operator lets in.
var ErrUnsigned = errors.New("it is not signed by this hub's operator, or by an agent whose pass the operator made")

// verify gives what was signed, and by whom.
func (i *Identity) verify(kind string, message []byte) (body []byte, by Signer, err error) {
	head, body, found := bytes.Cut(message, []byte("\n"))
	var s signature
	if !found || json.Unmarshal(head, &s) != nil {
		return nil, by, ErrUnsigned
	}
	key := i.operator
	if s.Grant != "" {
		if by.Grant, err = i.granted(s.Grant); err != nil {
			return nil, by, err
		}
		if key, err = nkeys.FromPublicKey(by.Key); err != nil {
			return nil, by, ErrUnsigned
		}
	}
	if key.Verify(covered(kind, body), s.Signature) != nil {
		return nil, by, ErrUnsigned
	}
	return body, by, nil
}

// granted verifies a grant, the first time.
func (i *Identity) granted(text string) (*Grant, error) {
	if g, ok := i.known.Load(text); ok {
		return g.(*Grant), nil
	}
	body, by, err := i.verify(kindGrant, []byte(text))
	g := new(Grant)
	if err != nil || !by.IsOperator() || json.Unmarshal(body, g) != nil {
		return nil, ErrUnsigned
	}
	i.known.Store(text, g)
	return g, nil
}

// SignGrant is what the operator writes into an agent's pass.
func (i *Identity) SignGrant(g Grant) (string, error) {
	if i.grant != nil {
		return "", errors.New("only the operator makes passes")
	}
	body, err := json.Marshal(g)
	if err != nil {
		return "", err
	}
	signed, err := i.sign(kindGrant, body)
	return string(signed), err
}

// OperatorPublic is the operator's public key, as passes have it.
func (i *Identity) OperatorPublic() (string, error) { return i.operator.PublicKey() }

// signJSON signs a value.
func (i *Identity) signJSON(kind string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return i.sign(kind, body)
}
