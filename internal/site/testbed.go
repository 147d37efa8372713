// Package site makes the place where a UPF is measured: four network
// namespaces (RAN, UPF, data network, SMF), the links N3, N4 and N6 between
// them, and the CPUs that the roles run on.
//
// Whatever it makes, it owns: Close removes it, and what a killed run left is
// removed by CleanStale.
package site

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

	// N3Between and N6Between are what stands between the ends of N3 and N6; nil:
	// nothing.
	N3Between, N6Between *Between

	between *Namespace // of what stands there; nil: there is none
	claim   *Claim
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
	roles := map[string]**Namespace{"ran": &t.RAN, "upf": &t.UPF, "dn": &t.DN, "smf": &t.SMF}
	if t.Spec.N3.between() || t.Spec.N6.between() {
		roles["link"] = &t.between
	}
	for role, ns := range roles {
		name := fmt.Sprintf("%s%s-%s", namePrefix, t.Spec.Run, role)
		if err := t.claim.addNamespace(name); err != nil {
			return err
		}
		var err error
		if *ns, err = newNamespace(name); err != nil {
			return err
		}
		if err := sysctls(*ns); err != nil { // before there are devices: they never speak
			return err
		}
	}
	if err := t.links(); err != nil {
		return err
	}
	return t.routes()
}

func (t *Testbed) links() error {
	for _, p := range []struct {
		name        string
		id          byte
		spec        LinkSpec
		peer        *Namespace
		tester, upf *Port
		between     **Between
	}{
		{"n3", 3, t.Spec.N3, t.RAN, &t.GNB, &t.UPFN3, &t.N3Between},
		{"n6", 6, t.Spec.N6, t.DN, &t.DNN6, &t.UPFN6, &t.N6Between},
		{"n4", 4, t.Spec.N4, t.SMF, &t.SMFN4, &t.UPFN4, new(*Between)},
	} {
		s := linkSpec{kind: p.spec.Kind, name: t.device(p.name), tester: p.peer, upf: t.UPF, id: p.id, queues: max(t.Spec.Queues, 1),
			testerIP: p.spec.Tester, upfIP: p.spec.UPF, prefix: p.spec.Prefix, mtu: t.Spec.MTU,
			between: t.between, claim: t.claim, device: p.spec.Device, testerDevice: p.spec.TesterDevice}
		if p.name == "n4" {
			s.queues, s.mtu = 1, 1500
		}
		l, err := newLink(s)
		if err != nil {
			return err
		}
		*p.tester, *p.upf, *p.between = l.tester, l.upf, l.between
	}
	return nil
}

// device names carry the run, because kernel threads of NAPI are named after
// their device and are not told apart by namespace.
func (t *Testbed) device(point string) string { return point + "-" + t.Spec.Run }

// namespaces are those that the testbed made.
func (t *Testbed) namespaces() []*Namespace {
	if t.UPF == nil && t.RAN != nil && t.RAN.Name == "" {
		return []*Namespace{t.RAN} // attached to what was there
	}
	return []*Namespace{t.RAN, t.UPF, t.DN, t.SMF, t.between}
}

// Close removes everything that Build made.
func (t *Testbed) Close() error {
	errs := []error{t.claim.returnDevices()}
	for _, ns := range t.namespaces() {
		if ns != nil {
			errs = append(errs, t.remove(ns))
		}
	}
	return errors.Join(append(errs, t.claim.returnHugePages())...)
}

// remove closes a namespace. One that cannot be removed stays on the list.
func (t *Testbed) remove(ns *Namespace) error {
	if err := ns.close(); err != nil {
		return err
	}
	return t.claim.dropNamespace(ns.Name)
}

// Claim is the list of what the run owns.
func (t *Testbed) Claim() *Claim { return t.claim }
