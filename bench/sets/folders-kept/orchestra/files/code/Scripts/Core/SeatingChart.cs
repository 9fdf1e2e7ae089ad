using System.Collections.Generic;
using System.Linq;

namespace HalfnoteShed.Core
{
    /// Who sits where. A desk has an outer and an inner chair.
    /// The inner chair turns the pages.
    public sealed class SeatingChart
    {
        readonly Dictionary<string, Desk> _deskOf = new Dictionary<string, Desk>();
        readonly List<Desk> _desks = new List<Desk>();

        public IReadOnlyList<Desk> Desks => _desks;

        public void Seat(Musician m, Desk desk, bool outer)
        {
            if (_deskOf.TryGetValue(m.Id, out var old)) old.Remove(m);
            desk.Put(m, outer);
            _deskOf[m.Id] = desk;
            if (!_desks.Contains(desk)) _desks.Add(desk);
        }

        /// The principal, or whoever stands in.
        /// Returned null if the principal was ill until 0.8.3, and the
        /// concert then crashed. Callers must still cope with null:
        /// a section may be ill as a whole.
        public Musician SoloistOf(Section section)
        {
            var present = _desks
                .Where(d => d.Section == section)
                .OrderBy(d => d.Number)
                .SelectMany(d => d.OuterFirst())
                .Where(m => m != null && !m.IsSick)
                .ToList();

            return present.FirstOrDefault(m => m.IsPrincipal) ?? present.FirstOrDefault();
        }

        public Musician PartnerOf(Musician m)
        {
            return _deskOf.TryGetValue(m.Id, out var desk) ? desk.Other(m) : null;
        }

        /// Swapping costs the player nothing in the first three weeks.
        /// Later on each swap costs one morale point for the one who is
        /// moved backwards. Moving forwards is free and breeds envy.
        public int SwapCost(Musician m, Desk from, Desk to, int week)
        {
            if (week <= 3) return 0;
            return to.Number > from.Number ? 1 : 0;
        }

        public int WeeklyMorale(Musician m, Opinions opinions)
        {
            var partner = PartnerOf(m);
            if (partner == null) return 0;          // odd desk, sits alone, likes it
            int opinion = opinions.Of(m, partner);
            if (opinion > 20) return 1;
            if (opinion < -20) return -3;
            return 0;
        }
    }
}
