// Package testbed makes the place where a UPF is measured: four network
// namespaces (RAN, UPF, data network, SMF), the links N3, N4 and N6 between
// them, and the CPUs that the roles run on.
//
// Whatever it makes, it owns: Close removes it, and what a killed run left is
// removed by CleanStale.
package testbed

import (
	"errors"
	"fmt"
)

// Testbed is a built testbed.
type Testbed struct {
	Spec              Spec
	RAN, UPF, DN, SMF *Namespace

	GNB   Port // N3, the tester's end
	UPFN3 Port
	DNN6  Port // N6, the tester's end
	UPFN6 Port
	SMFN4 Port // N4, the tester's end
	UPFN4 Port

	claim *Claim
}

// Build makes the namespaces and links. On error nothing is left.
func Build(claim *Claim, spec Spec) (*Testbed, error) {
	t := &Testbed{Spec: spec, claim: claim}
	if err := t.build(); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

func (t *Testbed) build() error {
	for role, ns := range map[string]**Namespace{"ran": &t.RAN, "upf": &t.UPF, "dn": &t.DN, "smf": &t.SMF} {
		name := fmt.Sprintf("%s%s-%s", namePrefix, t.Spec.Run, role)
		if err := t.claim.addNamespace(name); err != nil {
			return err
		}
		var err error
		if *ns, err = newNamespace(name); err != nil {
			return err
		}
	}
	if err := t.links(); err != nil {
		return err
	}
	for _, ns := range t.namespaces() {
		if err := sysctls(ns); err != nil {
			return err
		}
	}
	return t.routes()
}

func (t *Testbed) links() (err error) {
	queues := max(t.Spec.Queues, 1)
	t.GNB, t.UPFN3, err = newLink(linkSpec{name: t.device("n3"), tester: t.RAN, upf: t.UPF, id: 3, queues: queues,
		testerIP: t.Spec.N3.Tester, upfIP: t.Spec.N3.UPF, prefix: t.Spec.N3.Prefix, mtu: t.Spec.MTU})
	if err != nil {
		return err
	}
	t.DNN6, t.UPFN6, err = newLink(linkSpec{name: t.device("n6"), tester: t.DN, upf: t.UPF, id: 6, queues: queues,
		testerIP: t.Spec.N6.Tester, upfIP: t.Spec.N6.UPF, prefix: t.Spec.N6.Prefix, mtu: t.Spec.MTU})
	if err != nil {
		return err
	}
	t.SMFN4, t.UPFN4, err = newLink(linkSpec{name: t.device("n4"), tester: t.SMF, upf: t.UPF, id: 4, queues: 1,
		testerIP: t.Spec.N4.Tester, upfIP: t.Spec.N4.UPF, prefix: t.Spec.N4.Prefix, mtu: 1500})
	return err
}

// device names carry the run, because kernel threads of NAPI are named after
// their device and are not told apart by namespace.
func (t *Testbed) device(point string) string { return point + "-" + t.Spec.Run }

// namespaces are those that the testbed made.
func (t *Testbed) namespaces() []*Namespace {
	if t.UPF == nil && t.RAN != nil && t.RAN.Name == "" {
		return []*Namespace{t.RAN} // attached to what was there
	}
	return []*Namespace{t.RAN, t.UPF, t.DN, t.SMF}
}

// Close removes everything that Build made.
func (t *Testbed) Close() error {
	var errs []error
	for _, ns := range t.namespaces() {
		if ns != nil {
			errs = append(errs, ns.close(), t.claim.dropNamespace(ns.Name))
		}
	}
	return errors.Join(append(errs, t.claim.returnHugePages())...)
}

// Claim is the list of what the run owns.
func (t *Testbed) Claim() *Claim { return t.claim }
