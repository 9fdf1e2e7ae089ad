using System.Collections;
using System.Collections.Generic;
using FMODUnity;
using UnityEngine;

namespace HalfnoteShed.Audio
{
    /// Loads the banks of a concert while the orchestra is tuning.
    /// Before March 2026 they were loaded on the downbeat: a hole of 340 ms.
    public sealed class BankPreloader : MonoBehaviour
    {
        [SerializeField] string[] _always = { "Master", "Master.strings", "UI" };
        [SerializeField] float _tuningSecondsMin = 6f;
        [SerializeField] float _giveUpAfterSeconds = 20f;

        readonly HashSet<string> _loaded = new HashSet<string>();

        public bool Ready { get; private set; }

        IEnumerator Start()
        {
            foreach (var bank in _always) Load(bank);
            yield break;
        }

        public IEnumerator PrepareConcert(string hallId, IEnumerable<string> sections)
        {
            Ready = false;
            float started = Time.realtimeSinceStartup;

            Load("Hall_" + hallId);
            foreach (var section in sections) Load("Sec_" + section);

            // Tuning is the loading screen. It lasts at least six seconds,
            // otherwise the oboe gets cut off and Teodor notices.
            while (!AllSamplesThere() || Time.realtimeSinceStartup - started < _tuningSecondsMin)
            {
                if (Time.realtimeSinceStartup - started > _giveUpAfterSeconds)
                {
                    Debug.LogWarning("[Audio] giving up waiting for banks, starting anyway");
                    break;
                }
                yield return null;
            }
            Ready = true;
        }

        void Load(string bank)
        {
            if (!_loaded.Add(bank)) return;
            RuntimeManager.LoadBank(bank, loadSamples: true);
        }

        bool AllSamplesThere()
        {
            return !RuntimeManager.AnySampleDataLoading();
        }

        /// Halls are 60 to 90 MB each, so only one hall may stay in memory.
        public void UnloadHallsExcept(string hallId)
        {
            var remove = new List<string>();
            foreach (var bank in _loaded)
                if (bank.StartsWith("Hall_") && bank != "Hall_" + hallId) remove.Add(bank);
            foreach (var bank in remove)
            {
                RuntimeManager.UnloadBank(bank);
                _loaded.Remove(bank);
            }
        }
    }
}
