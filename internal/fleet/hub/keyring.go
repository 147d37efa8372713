package hub

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/nats-io/nkeys"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/atomicfile"
)

// member is somebody who may use the hub.
type member struct {
	Name     string   `json:"name"`
	Operator bool     `json:"operator,omitempty"`
	Testbeds []string `json:"testbeds,omitempty"`
	With     []string `json:"with,omitempty"` // testbeds with which it leads measurements
	Key      string   `json:"nkey"`           // public
}

// keyring is the file with the members. The running hub reads it when it changes.
type keyring struct {
	URLs    []string `json:"urls"` // where the hub is reached
	Members []member `json:"members"`
	// Foreign: these are a NATS server's that exists, which has its own certificate and users.
	Foreign bool `json:"foreign,omitempty"`
}

// operatorKey is the operator's public key.
func (k keyring) operatorKey() (string, error) {
	for _, m := range k.Members {
		if m.Operator {
			return m.Key, nil
		}
	}
	return "", errors.New("the list of members has no operator: `upflab hub run --dir FOLDER` or `upflab hub prepare` makes one")
}

func keyringPath(dir string) string { return filepath.Join(dir, "members.json") }

func readKeyring(dir string) (k keyring, err error) {
	data, err := os.ReadFile(keyringPath(dir))
	if err == nil {
		err = json.Unmarshal(data, &k)
	}
	if err != nil {
		return k, fmt.Errorf("read who may use the hub: %w", err)
	}
	return k, nil
}

func (k keyring) write(dir string) error {
	data, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(keyringPath(dir), append(data, '\n'), 0o600)
}

// agents are the names of the members that measure.
func (k keyring) agents() (list []string) {
	for _, m := range k.Members {
		if !m.Operator {
			list = append(list, m.Name)
		}
	}
	return list
}

// add makes a member's key, and gives its pass, which the operator signs (nil: it is the
// operator's own). A member of that name loses its key.
func (k *keyring) add(dir string, m member, operator *fleet.Identity) (p fleet.Pass, err error) {
	p = fleet.Pass{Name: m.Name, Operator: m.Operator, Testbeds: m.Testbeds, URLs: k.URLs}
	if !k.Foreign {
		ca, err := os.ReadFile(certificatePath(dir))
		if err != nil {
			return p, fmt.Errorf("read the hub's certificate: %w", err)
		}
		p.CA = string(ca)
	}
	pair, err := nkeys.CreateUser()
	if err != nil {
		return p, err
	}
	seed, err := pair.Seed()
	if err != nil {
		return p, err
	}
	p.Seed = string(seed)
	if m.Key, err = pair.PublicKey(); err != nil {
		return p, err
	}
	if operator != nil {
		if p.OperatorKey, err = operator.OperatorPublic(); err == nil {
			p.Grant, err = operator.SignGrant(fleet.Grant{Agent: m.Name, Key: m.Key, Testbeds: m.Testbeds, With: m.With})
		}
		if err != nil {
			return p, err
		}
	}
	k.Members = append(slices.DeleteFunc(k.Members, func(o member) bool { return o.Name == m.Name }), m)
	return p, nil
}

// operatorOf is the operator of the hub in dir, who has to be one of its members.
func (k keyring) operatorOf(dir string) (*fleet.Identity, error) {
	p, err := fleet.ReadPass(OperatorPass(dir))
	if err != nil {
		return nil, fmt.Errorf("%w; passes are signed with it: run this where the hub's keys were made", err)
	}
	operator, err := p.Identity()
	if err != nil {
		return nil, err
	}
	mine, err := operator.OperatorPublic()
	if known, wrong := k.operatorKey(); err != nil || wrong != nil || known != mine {
		return nil, errors.Join(err, wrong, fmt.Errorf("%s is not the pass of this hub's operator", OperatorPass(dir)))
	}
	return operator, nil
}

// Add lets an agent use the hub in dir for testbeds, and lead measurements with others, and
// writes its pass to a file. A hub that runs takes note within a second.
func Add(dir, name string, testbeds, with []string, path string) error {
	for _, n := range slices.Concat([]string{name}, testbeds, with) {
		if !fleet.GoodName(n) {
			return fmt.Errorf("%q cannot name an agent or a testbed: letters, digits, - and _, 63 at most", n)
		}
	}
	k, err := readKeyring(dir)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no hub in %s: start one with `upflab hub run --dir %s`, or name its folder", dir, dir)
	}
	if err != nil {
		return err
	}
	if name == fleet.OperatorName {
		return fmt.Errorf("%s is the client's name: choose another", name)
	}
	operator, err := k.operatorOf(dir)
	if err != nil {
		return err
	}
	p, err := k.add(dir, member{Name: name, Testbeds: testbeds, With: with}, operator)
	if err != nil {
		return err
	}
	if err := writePass(path, p); err != nil {
		return err
	}
	return k.write(dir)
}

// Remove ends an agent's right to use the hub.
func Remove(dir, name string) error {
	k, err := readKeyring(dir)
	if err != nil {
		return err
	}
	n := len(k.Members)
	k.Members = slices.DeleteFunc(k.Members, func(m member) bool { return m.Name == name && !m.Operator })
	if len(k.Members) == n {
		return fmt.Errorf("the hub in %s knows no agent %s", dir, name)
	}
	return k.write(dir)
}

func writePass(path string, p fleet.Pass) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the pass: %w", err)
	}
	return nil
}
