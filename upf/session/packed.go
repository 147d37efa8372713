package session

// Packed are a session's rules at rest: a fifth of the memory of Rules, in one piece that
// the garbage collector does not look into. It never changes; the zero value holds none.
type Packed struct{ octets string }

// Pack packs rules, of which nothing is kept; nil are none.
func Pack(r *Rules) Packed {
	if r == nil {
		return Packed{}
	}
	c := coder{out: make([]byte, 0, 256)}
	c.rules(r)
	return Packed{string(c.out)}
}

// IsZero reports whether there are no rules.
func (p Packed) IsZero() bool { return p.octets == "" }

// Rules gives a copy that is the caller's own; nil when there are none.
func (p Packed) Rules() *Rules {
	if p.IsZero() {
		return nil
	}
	r := &Rules{}
	c := coder{in: p.octets, reading: true}
	c.rules(r)
	return r
}

func (c *coder) rules(r *Rules) {
	number(c, &r.SEID)
	list(c, &r.PDRs, (*coder).pdr)
	list(c, &r.FARs, (*coder).far)
	list(c, &r.QERs, (*coder).qer)
	list(c, &r.URRs, (*coder).urr)
	list(c, &r.BARs, (*coder).bar)
	list(c, &r.Endpoints, (*coder).endpoint)
}

func (c *coder) pdr(p *PDR) {
	number(c, &p.ID)
	number(c, &p.Precedence)
	c.pdi(&p.PDI)
	c.flag(&p.RemoveOuterHeader)
	number(c, &p.Removal)
	number(c, &p.FAR)
	list(c, &p.QERs, number[uint32])
	list(c, &p.URRs, number[uint32])
	list(c, &p.Predefined, (*coder).text)
}

func (c *coder) pdi(p *PDI) {
	number(c, &p.Source)
	number(c, &p.TEID)
	c.flag(&p.HasTEID)
	c.addr(&p.UE)
	c.prefix(&p.UE6)
	list(c, &p.Framed, (*coder).prefix)
	c.flag(&p.Borrowed)
	number(c, &p.QFIs)
	list(c, &p.Filters, (*coder).filter)
	number(c, &p.Endpoint)
	c.text(&p.Application)
}

func (c *coder) filter(f *Filter) {
	number(c, &f.ID)
	c.prefix(&f.Remote)
	c.prefix(&f.Local)
	list(c, &f.RemotePorts, (*coder).ports)
	list(c, &f.LocalPorts, (*coder).ports)
	number(c, &f.Protocol)
	c.flag(&f.HasProtocol)
	number(c, &f.TOS)
	number(c, &f.TOSMask)
	number(c, &f.SPI)
	c.flag(&f.HasSPI)
	number(c, &f.FlowLabel)
	c.flag(&f.HasFlowLabel)
}

func (c *coder) ports(p *Ports) {
	number(c, &p.Low)
	number(c, &p.High)
}

func (c *coder) endpoint(e *Endpoint) {
	number(c, &e.ID)
	c.pdi(&e.PDI)
}

func (c *coder) far(f *FAR) {
	number(c, &f.ID)
	number(c, &f.Action)
	number(c, &f.Destination)
	optional(c, &f.Outer, (*coder).outer)
	number(c, &f.Marking)
	list(c, &f.Copies, (*coder).copyTo)
	number(c, &f.BAR)
}

func (c *coder) outer(o *OuterHeader) {
	number(c, &o.TEID)
	c.addr(&o.Peer)
	number(c, &o.Kind)
	number(c, &o.Port)
}

func (c *coder) copyTo(to *Copy) {
	c.outer(&to.OuterHeader)
	number(c, &to.Marking)
}

func (c *coder) bar(b *BAR) {
	number(c, &b.ID)
	number(c, &b.Delay)
	number(c, &b.Packets)
}

func (c *coder) qer(q *QER) {
	number(c, &q.ID)
	number(c, &q.QFI)
	c.flag(&q.RQI)
	number(c, &q.PPI)
	c.flag(&q.GateUL)
	c.flag(&q.GateDL)
	for _, rate := range [...]*uint64{&q.MBRUL, &q.MBRDL, &q.GBRUL, &q.GBRDL} {
		number(c, rate)
	}
	number(c, &q.Window)
}
