package session

import "slices"

// Clone returns a copy that shares nothing with r. Rules that a datapath has
// been given must not change: a modification is made on a clone.
func (r *Rules) Clone() *Rules {
	c := &Rules{
		SEID: r.SEID,
		PDRs: slices.Clone(r.PDRs),
		FARs: slices.Clone(r.FARs),
		QERs: slices.Clone(r.QERs),
		URRs: slices.Clone(r.URRs),
		BARs: slices.Clone(r.BARs),

		Endpoints: slices.Clone(r.Endpoints),
	}
	for i := range c.PDRs {
		c.PDRs[i].QERs = slices.Clone(c.PDRs[i].QERs)
		c.PDRs[i].URRs = slices.Clone(c.PDRs[i].URRs)
		c.PDRs[i].Predefined = slices.Clone(c.PDRs[i].Predefined)
		c.PDRs[i].PDI.Framed = slices.Clone(c.PDRs[i].PDI.Framed)
		c.PDRs[i].PDI.Filters = slices.Clone(c.PDRs[i].PDI.Filters) // nothing changes a filter's ports
	}
	for i := range c.FARs {
		if o := c.FARs[i].Outer; o != nil {
			outer := *o
			c.FARs[i].Outer = &outer
		}
		c.FARs[i].Copies = slices.Clone(c.FARs[i].Copies)
	}
	return c
}
