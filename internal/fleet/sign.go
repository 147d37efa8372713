package fleet

import (
	"bytes"
	"crypto/ed25519"
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

// Name gives the name of the agent that signs, or OperatorName.
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
	private  ed25519.PrivateKey // nil: it verifies only
	operator ed25519.PublicKey
	grant    []byte   // as the operator signed it; nil: this is the operator
	known    sync.Map // grants that were verified, by their text: granted
}

// granted is a grant that was verified, with the key in it.
type granted struct {
	Grant
	key ed25519.PublicKey
}

// Identity is that of a pass. An nkey is an Ed25519 key: taken apart once, it signs and verifies
// in half of the time.
func (p *Pass) Identity() (*Identity, error) {
	_, seed, err := nkeys.DecodeSeed([]byte(p.Seed))
	if err != nil {
		return nil, fmt.Errorf("the pass of %s: %w", p.Name, err)
	}
	i := &Identity{private: ed25519.NewKeyFromSeed(seed), grant: []byte(p.Grant)}
	if p.Operator {
		i.operator, i.grant = i.private.Public().(ed25519.PublicKey), nil
		return i, nil
	}
	if i.operator, err = publicKey(p.OperatorKey); err != nil {
		return nil, fmt.Errorf("the pass of %s has no public key of the operator: %w", p.Name, err)
	}
	return i, nil
}

// Verifier verifies what the owner of a public key, the operator, and its agents signed. It
// cannot sign.
func Verifier(operatorKey string) (*Identity, error) {
	operator, err := publicKey(operatorKey)
	if err != nil {
		return nil, fmt.Errorf("the operator's public key: %w", err)
	}
	return &Identity{operator: operator}, nil
}

// publicKey is the key of a user's public nkey.
func publicKey(text string) (ed25519.PublicKey, error) {
	raw, err := nkeys.Decode(nkeys.PrefixByteUser, []byte(text))
	if err == nil && len(raw) != ed25519.PublicKeySize {
		err = nkeys.ErrInvalidPublicKey
	}
	return raw, err
}

// signature is the first line of a signed message. What is signed follows it.
type signature struct {
	Signature []byte `json:"sig"`
	Grant     string `json:"grant,omitempty"` // signed; "": the operator's signature
}

func covered(kind string, body []byte) []byte { return append([]byte(kind+"\x00"), body...) }

// sign puts a signature before a text.
func (i *Identity) sign(kind string, body []byte) ([]byte, error) {
	if i.private == nil {
		return nil, errors.New("nothing can be signed with a public key")
	}
	head, err := json.Marshal(signature{ed25519.Sign(i.private, covered(kind, body)), string(i.grant)})
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
		g, err := i.granted(s.Grant)
		if err != nil {
			return nil, by, err
		}
		by.Grant, key = &g.Grant, g.key
	}
	if !ed25519.Verify(key, covered(kind, body), s.Signature) {
		return nil, by, ErrUnsigned
	}
	return body, by, nil
}

// granted verifies a grant, the first time.
func (i *Identity) granted(text string) (*granted, error) {
	if g, ok := i.known.Load(text); ok {
		return g.(*granted), nil
	}
	body, by, err := i.verify(kindGrant, []byte(text))
	g := new(granted)
	if err != nil || !by.IsOperator() || json.Unmarshal(body, &g.Grant) != nil {
		return nil, ErrUnsigned
	}
	if g.key, err = publicKey(g.Key); err != nil {
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
func (i *Identity) OperatorPublic() (string, error) {
	text, err := nkeys.Encode(nkeys.PrefixByteUser, i.operator)
	return string(text), err
}

// signJSON signs a value.
func (i *Identity) signJSON(kind string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return i.sign(kind, body)
}
