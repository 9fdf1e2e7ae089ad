using TMPro;
using UnityEngine;

namespace HalfnoteShed.UI
{
    /// Text on the brass plaques (names, sections, programme).
    /// German does not fit. This makes it fit, in this order:
    /// 1. tracking down to -4, 2. size down to 82 percent, 3. two lines, 4. short form.
    [RequireComponent(typeof(TextMeshProUGUI))]
    public sealed class PlaqueText : MonoBehaviour
    {
        [SerializeField] float _minScale = 0.82f;
        [SerializeField] float _minTracking = -4f;
        [SerializeField] string _shortFormKey;

        TextMeshProUGUI _text;
        float _baseSize;

        void Awake()
        {
            _text = GetComponent<TextMeshProUGUI>();
            _baseSize = _text.fontSize;
        }

        public void Show(string content)
        {
            _text.enableWordWrapping = false;
            _text.characterSpacing = 0;
            _text.fontSize = _baseSize;
            _text.text = content;

            if (Fits()) return;

            for (float t = -1f; t >= _minTracking; t -= 1f)
            {
                _text.characterSpacing = t;
                if (Fits()) return;
            }

            for (float s = 0.96f; s >= _minScale; s -= 0.02f)
            {
                _text.fontSize = _baseSize * s;
                if (Fits()) return;
            }

            _text.enableWordWrapping = true;
            if (Fits() || string.IsNullOrEmpty(_shortFormKey)) return;

            // Short forms exist for 34 keys, German only, made by Joon in August.
            _text.text = Localization.Get(_shortFormKey);
        }

        bool Fits()
        {
            _text.ForceMeshUpdate();
            var rect = ((RectTransform)transform).rect;
            return _text.preferredWidth <= rect.width && _text.preferredHeight <= rect.height;
        }
    }
}
